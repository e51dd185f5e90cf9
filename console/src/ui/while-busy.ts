/** Does something during which the browser asks before it closes the page. */
export async function whileBusy<Value>(work: () => Promise<Value>): Promise<Value> {
  // An object of its own, because another work may end first.
  const warn = {
    handleEvent(event: Event) {
      event.preventDefault();
    },
  };
  addEventListener('beforeunload', warn);
  try {
    return await work();
  } finally {
    removeEventListener('beforeunload', warn);
  }
}
