import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** An element that takes the focus when what had it goes as one of `inputs` changes: a keyboard goes on from there. */
export function useRescuedFocus<Target extends HTMLElement>(
  inputs: readonly unknown[],
): RefObject<Target | null> {
  const target = useRef<Target>(null);
  useEffect(() => {
    if (document.activeElement === document.body) target.current?.focus();
  }, inputs);
  return target;
}
