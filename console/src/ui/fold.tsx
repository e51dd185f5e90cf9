import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A disclosure whose content is rendered while it is open. */
export function Fold({ title, children }: Readonly<{ title: string; children: ComponentChildren }>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
