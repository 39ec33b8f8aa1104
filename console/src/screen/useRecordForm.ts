// The form of something that is kept on the server, in a window or on a page: its values, what is wrong with them, sending
// them, and what the server says to them, at the field it is about. Where somebody changed the same thing meanwhile, nothing
// is overwritten unasked.
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { answer, ifMatch, type Outcome } from '../api/client';
import { ApiError, type Changed, type FieldProblem } from '../api/errors';
import { farmKey } from '../api/keys';

/** The headers that a form's call has to carry. */
export type Headers = Record<string, string>;

/** What is wrong, by the path of the field: `actions.0.command.value`, or as the server writes it, `actions[0].command.value`. */
export type Problems = { readonly [path: string]: ReactNode };

export interface RecordFormOptions<Known, Values, Saved, How> {
  farmId: string;
  /** What is edited, as it is now; nothing when adding. */
  known: Known | undefined;
  /** What the fields hold at first. */
  values: (known: Known | undefined) => Values;
  /** What is wrong with what was typed. */
  check?: (values: NoInfer<Values>) => Problems;
  /** Sends it; `known` is what the person saw. */
  save: (
    values: NoInfer<Values>,
    known: Known | undefined,
    headers: Headers,
    how: How,
  ) => Promise<Outcome<Saved>>;
  /** Where a path of the document stands in the form, if that is not where its name says. */
  pathOf?: (path: string, values: NoInfer<Values>) => string;
  /** The words for what the server would not take; its own otherwise. */
  problemText?: (problem: FieldProblem) => string;
  onSaved: (saved: Saved) => void;
}

export interface RecordForm<Known, Values, How> {
  /** Its errors are what was found here once sending was tried, and what the server said until that field is changed. */
  form: UseFormReturnType<Values>;
  /** What the person began with. */
  known: Known | undefined;
  /** Sends it if nothing is wrong; else the first field that is wrong has the focus. */
  send: (how: How) => void;
  /** Sends it as it was sent last. */
  again: () => void;
  /** How it is being sent, while it is. */
  sending: { how: How } | undefined;
  /** Why it was not saved. */
  error: Error | null;
  /** What the server said about none of the fields. */
  elsewhere: readonly string[];
  /** Somebody else's change: nothing is sent before `goOn`, which keeps what was typed or gives it up. */
  changed: Changed | undefined;
  goOn: (keep: boolean) => void;
  /** For the form's element. */
  element: React.RefObject<HTMLFormElement | null>;
}

export function useRecordForm<
  Known extends object,
  Values extends Record<string, unknown>,
  Saved,
  How = void,
>(options: RecordFormOptions<Known, Values, Saved, How>): RecordForm<Known, Values, How> {
  const { farmId, values, check, save, onSaved, problemText = ({ message }) => message } = options;
  const { pathOf = (path: string) => path } = options;
  const placed = (path: string, typed: Values) => fieldAt(pathOf(path, typed), typed);
  const cache = useQueryClient();
  // What the list says meanwhile is not what the person saw when they began to type.
  const [known, setKnown] = useState(options.known);
  const [listed, setListed] = useState(options.known);
  const [tries, setTries] = useState(0);
  const element = useRef<HTMLFormElement>(null);
  const form = useForm<Values>({
    initialValues: values(known),
    enhanceGetInputProps: ({ field }) => ({ error: errors[field] }),
  });
  const wrong = Object.fromEntries(
    Object.entries(check?.(form.values) ?? {})
      .filter(([, problem]) => problem)
      .map(([path, problem]) => [placed(path, form.values) ?? path, problem]),
  );
  const errors: Problems = { ...(tries > 0 && wrong), ...form.errors };

  const saving = useMutation({
    mutationFn: ({ typed, how }: { typed: Values; how: How }) =>
      answer(save(typed, known, ifMatch(known), how)),
    onError: (error) => {
      form.setErrors(
        Object.fromEntries(
          problemsOf(error).flatMap((problem) => {
            const field = placed(problem.path, form.getValues());
            return field === undefined ? [] : [[field, problemText(problem)]];
          }),
        ),
      );
      setTries((before) => before + 1);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
  const newer =
    (saving.isIdle || saving.isError) && ![listed, known].some((seen) => isVersion(seen, options.known));
  const changed =
    (saving.error instanceof ApiError ? saving.error.changed : undefined) ??
    (newer && options.known ? { by: null, at: null, current: options.known } : undefined);

  // On a phone the form is longer than the screen: what is wrong must not stay out of sight.
  useEffect(() => {
    if (tries > 0)
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]')?.focus();
  }, [tries]);
  useEffect(() => {
    if (!saving.error || problemsOf(saving.error).length > 0) return;
    element.current?.querySelector('[role="alert"]')?.scrollIntoView?.({ block: 'center' });
    // The button that had the focus waits for the choice.
    element.current?.querySelector<HTMLElement>('[data-changed]')?.focus({ preventScroll: true });
  }, [saving.error]);

  const send = (how: How) => {
    if (changed) return;
    setTries((before) => before + 1);
    form.clearErrors();
    if (Object.keys(wrong).length === 0)
      saving.mutate({ typed: form.getValues(), how }, { onSuccess: onSaved });
  };

  return {
    form: { ...form, errors },
    known,
    element,
    send,
    again: () => saving.variables && send(saving.variables.how),
    sending: saving.isPending ? saving.variables : undefined,
    error: saving.error,
    elsewhere: problemsOf(saving.error)
      .filter(({ path }) => placed(path, form.values) === undefined)
      .map(problemText),
    changed,
    goOn: (keep) => {
      if (!changed) return;
      const current = changed.current as Known;
      const before = values(known);
      const typed = Object.entries(form.getValues()).filter(([name, value]) => !same(value, before[name]));
      form.setInitialValues(values(current));
      form.setValues({ ...values(current), ...(keep && Object.fromEntries(typed)) });
      form.clearErrors();
      setTries(0);
      setKnown(current);
      setListed(options.known);
      saving.reset();
    },
  };
}

const problemsOf = (error: unknown) => (error instanceof ApiError ? error.problems : []);

/** Whether two are the same version; where the server says none, they are. */
const isVersion = (a: object | undefined, b: object | undefined) =>
  ifMatch(a)['If-Match'] === ifMatch(b)['If-Match'];

/** Whether two values of a field are the same; a list is made anew each time. */
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The form's name of what the server calls `lines[0].quantity`; that of the whole where it is one field (`scope.zoneId`). */
function fieldAt(path: string, values: unknown): string | undefined {
  const found: string[] = [];
  let part = values;
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof part !== 'object' || part === null || !(key in part)) break;
    found.push(key);
    part = (part as Record<string, unknown>)[key];
  }
  return found.length > 0 ? found.join('.') : undefined;
}
