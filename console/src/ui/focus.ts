/** Puts the focus on the heading of the view: what had it is gone. */
export function focusTop(): void {
  document.querySelector('h1')?.focus({ preventScroll: true });
}

/** Puts the focus there if what had it is gone. */
export function keepFocus(): void {
  if (document.activeElement === document.body) focusTop();
}
