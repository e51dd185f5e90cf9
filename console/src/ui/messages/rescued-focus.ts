import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Puts the focus on the heading of the view. */
export function focusTop(): void {
  document.querySelector('h1')?.focus({ preventScroll: true });
}

// A page that has just been opened has no focus to rescue, and to set one would draw it twice.
let hadFocus = false;
addEventListener('focusin', () => (hadFocus = true), { once: true });

/**
 * An element that takes the focus when what had it goes as one of `inputs` changes: a keyboard goes on from there. If nobody
 * takes it, the heading of the view does.
 */
export function useRescuedFocus<Target extends HTMLElement>(
  inputs: readonly unknown[],
): RefObject<Target | null> {
  const target = useRef<Target>(null);
  // At once: an effect after the next frame could find the focus lost to another change, and take it elsewhere.
  useLayoutEffect(() => {
    if (!hadFocus || document.activeElement !== document.body) return;
    if (target.current) target.current.focus();
    else focusTop();
  }, inputs);
  return target;
}
