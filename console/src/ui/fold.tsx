import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface FoldProps extends Record<'title' | 'children', ComponentChildren> {
  readonly isTarget?: boolean;
}

/** Something to open, which is made when it is: it may be long, or contain itself. */
export function Fold({ title, isTarget = false, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(isTarget);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
