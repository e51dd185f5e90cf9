import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Focuses the heading of the view. */
export function focusTop(): void {
  document.querySelector('h1')?.focus({ preventScroll: true });
}

// A new page has no focus to rescue, and setting it would paint twice.
let hadFocus = false;
addEventListener('focusin', () => (hadFocus = true), { once: true });

/**
 * An element that takes the focus if the focused one disappears when an input changes. Without a target, the heading of the
 * view takes it.
 */
export function useRescuedFocus<Target extends HTMLElement>(
  inputs: readonly unknown[],
): RefObject<Target | null> {
  const target = useRef<Target>(null);
  // A layout effect: after the next frame, another change may have moved the focus.
  useLayoutEffect(() => {
    if (!hadFocus || document.activeElement !== document.body) return;
    if (target.current) target.current.focus();
    else focusTop();
  }, inputs);
  return target;
}
