// A form in a window above the page: its values, what is wrong with them, sending them, and what the server says to them, at
// the field it is about. Where somebody changed the same thing meanwhile, nothing is overwritten unasked.
import { Button, Group } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, ifMatch, type Outcome } from '../api/client';
import { ApiError, type Changed } from '../api/errors';
import { farmKey } from '../api/keys';
import { failureText } from '../i18n/failure';
import { useFormat } from '../i18n/format';
import { Banner } from '../ui/Banner';
import { Dialog } from '../ui/Dialog';
import formClasses from '../ui/form.module.css';

/** The headers that a form's call has to carry. */
export type Headers = Record<string, string>;

/** What is wrong with each field, if anything. */
type Problems<Values> = { [Field in keyof Values]?: string | false | undefined };

interface Props<Known extends { id: string }, Values extends Record<string, unknown>> {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What is edited; nothing when adding. */
  known: Known | undefined;
  /** What the fields hold at first. */
  values: (known: Known | undefined) => Values;
  /** What is wrong with what was typed. */
  check?: (values: NoInfer<Values>) => Problems<NoInfer<Values>>;
  /** Sends it; `known` is what the person saw. */
  save: (values: NoInfer<Values>, known: Known | undefined, headers: Headers) => Promise<Outcome<unknown>>;
  /** What is said where the server says nothing. */
  failed: string;
  children: (form: UseFormReturnType<Values>, known: Known | undefined) => ReactNode;
}

export function FormDialog<Known extends { id: string }, Values extends Record<string, unknown>>(
  props: Props<Known, Values>,
) {
  const { t } = useTranslation();
  // While the window fades out it still shows what it was opened for.
  const last = useRef(props);
  if (props.opened) last.current = props;
  const { opened, onClose } = props;
  const { title, known } = last.current;
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeLabel={t('form.close')}>
      <Form key={known?.id ?? 'new'} {...props} known={known} />
    </Dialog>
  );
}

function Form<Known extends { id: string }, Values extends Record<string, unknown>>(
  props: Props<Known, Values>,
) {
  const { farmId, onClose, values, check, failed, children } = props;
  const { t } = useTranslation();
  const cache = useQueryClient();
  // What the list says meanwhile is not what the person saw when they began to type.
  const [known, setKnown] = useState(props.known);
  const form = useForm<Values>({
    initialValues: values(known),
    validate: (typed) => ({ ...check?.(typed) }),
  });
  const save = useMutation({
    mutationFn: (typed: Values) => answer(props.save(typed, known, ifMatch(known))),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      form.setErrors(Object.fromEntries(error.problems.map(({ path, message }) => [fieldAt(path), message])));
    },
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
  const changed = save.error instanceof ApiError ? save.error.changed : undefined;
  /** Goes on from what is there now; what was typed here stays where it is kept. */
  const goOn = (current: Known, keep: boolean) => {
    const before = values(known);
    const typed = Object.entries(form.getValues()).filter(([name, value]) => !same(value, before[name]));
    form.setInitialValues(values(current));
    form.setValues({ ...values(current), ...(keep && Object.fromEntries(typed)) });
    form.clearErrors();
    setKnown(current);
    save.reset();
  };
  return (
    <form
      className={formClasses['form']}
      noValidate
      onSubmit={form.onSubmit(
        (typed) => save.mutate(typed, { onSuccess: onClose }),
        (errors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
      )}
    >
      {changed ? (
        <ChangedMeanwhile changed={changed} goOn={(keep) => goOn(changed.current as Known, keep)} />
      ) : (
        save.isError && <Banner tone="bad" text={failureText(t, save.error, failed)} />
      )}
      {children(form, known)}
      <Group grow>
        <Button variant="default" onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={changed !== undefined}>
          {t('form.save')}
        </Button>
      </Group>
    </form>
  );
}

/** The form's name of a field that the server calls `lines[0].quantity`. */
const fieldAt = (path: string) => path.replaceAll(/\[(\d+)\]/g, '.$1');

/** Whether two values of a field are the same; a list is made anew each time. */
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function ChangedMeanwhile({ changed, goOn }: { changed: Changed; goOn: (keep: boolean) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { by, at } = changed;
  const text =
    by !== null && at !== null
      ? t('screen.changedBy', { name: by, time: format.clock(new Date(at)) })
      : t('screen.changedMeanwhile');
  return (
    <>
      <Banner tone="warn" text={text} />
      <Group grow>
        <Button variant="default" onClick={() => goOn(false)}>
          {t('screen.showTheirs')}
        </Button>
        <Button onClick={() => goOn(true)}>{t('screen.keepMine')}</Button>
      </Group>
    </>
  );
}
