// A form in a window above the page.
import { Button, Group } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/errors';
import { failureText } from '../i18n/failure';
import { Banner } from '../ui/Banner';
import { Dialog } from '../ui/Dialog';
import formClasses from '../ui/form.module.css';
import { ChangedMeanwhile } from './ChangedMeanwhile';
import { type RecordFormOptions, useRecordForm } from './useRecordForm';

export type { Headers } from './useRecordForm';

interface Props<Known, Values> extends Omit<RecordFormOptions<Known, Values, unknown, void>, 'onSaved'> {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What is said where the server says nothing. */
  failed: string;
  /** What is said when it was deleted meanwhile; the server's words otherwise. */
  gone?: string;
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
  const { onClose, failed, gone, children } = props;
  const { t } = useTranslation();
  const record = useRecordForm<Known, Values, unknown>({ ...props, onSaved: onClose });
  const { form, known, send, sending, error, elsewhere, changed, goOn, element } = record;
  const lost = known && gone && error instanceof ApiError && error.status === 404;
  return (
    <form
      ref={element}
      className={formClasses['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {changed ? (
        <ChangedMeanwhile changed={changed} goOn={goOn} />
      ) : (
        error && (
          <Banner tone="bad" text={[lost ? gone : failureText(t, error, failed), ...elsewhere].join(' ')} />
        )
      )}
      {children(form, known)}
      <Group grow>
        <Button variant="default" onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={sending !== undefined} disabled={changed !== undefined}>
          {t('form.save')}
        </Button>
      </Group>
    </form>
  );
}
