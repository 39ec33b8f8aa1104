// When questions can be asked: what shows them comes after the first values of a page, and a tap before that must not be lost.
let areShown = false;
let waiting: (() => void) | undefined;

/** Asks at once, or when there is something that shows it; of several taps until then the last counts. */
export function ask(question: () => void): void {
  if (areShown) question();
  else waiting = question;
}

/** What shows questions is there; returns what takes it away. */
export function showQuestions(): () => void {
  areShown = true;
  waiting?.();
  waiting = undefined;
  return () => {
    areShown = false;
  };
}
