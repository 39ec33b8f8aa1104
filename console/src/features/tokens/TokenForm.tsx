// The form of a token: what it is for, what it may, in which farms, until when. The server asks first who it is.
import { Button, Group, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { ApiError } from '../../api/errors';
import { useFarms } from '../../api/farms';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { Confirm } from '../../screen/Confirm';
import { useRecordForm } from '../../screen/useRecordForm';
import { Banner } from '../../ui/Banner';
import { Checkbox } from '../../ui/Checkbox';
import { Choices } from '../../ui/Choices';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import type { Shown } from './queries';

type Scope = components['schemas']['TokenScope'];

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  onMade: (shown: Shown) => void;
}

const DAY_MS = 86_400_000;
/** For how many days a token may be good; blank for ever. */
const days = ['30', '90', '365', ''] as const;

export function TokenForm(props: Props) {
  const { t } = useTranslation();
  const { opened, onClose } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={t('tokens.add')} closeLabel={t('form.close')}>
      {opened && <Form {...props} />}
    </Dialog>
  );
}

function Form({ farmId, onClose, onMade }: Props) {
  const { t } = useTranslation();
  const farms = useFarms().farms ?? [];
  const record = useRecordForm({
    farmId,
    known: undefined,
    values: () => ({ name: '', scope: 'READ', farms: [farmId], days: '90' }),
    check: ({ name, farms: chosen }) => ({
      name: name.trim() === '' && t('tokens.nameRequired'),
      farms: chosen.length === 0 && t('tokens.farmRequired'),
    }),
    save: ({ name, scope, farms: chosen, days: good }, _, headers) =>
      api.POST('/auth/tokens', {
        headers,
        body: {
          name: name.trim(),
          scope: scope as Scope,
          farms: chosen,
          expiresAt: good === '' ? null : Date.now() + Number(good) * DAY_MS,
        },
      }),
    onSaved: ({ secret, token }) => {
      onClose();
      onMade({ name: token.name, lines: [{ what: t('tokens.token'), text: secret }] });
    },
  });
  const { form, error, element } = record;
  if (error instanceof ApiError && error.code === 'confirm_needed')
    return <Confirm onConfirmed={record.again} />;
  return (
    <form
      ref={element}
      className={formClasses['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        record.send();
      }}
    >
      {error && (
        <Banner
          tone="bad"
          text={[failureText(t, error, t('tokens.saveFailed')), ...record.elsewhere].join(' ')}
        />
      )}
      <TextInput
        label={t('tokens.for')}
        description={t('tokens.forHint')}
        name="name"
        required
        maxLength={80}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <Choices
        label={t('tokens.may')}
        name="scope"
        choices={(['READ', 'CONTROL'] as const).map((scope) => ({
          value: scope,
          label: t(`tokens.scope.${scope}`),
        }))}
        value={form.values.scope}
        onChange={(scope) => form.setFieldValue('scope', scope)}
        error={form.errors['scope']}
      />
      <p>{t('tokens.neverMore')}</p>
      {farms.length > 1 && (
        <Checkbox.Group label={t('tokens.farms')} {...form.getInputProps('farms')}>
          {farms.map(({ id, name }) => (
            <Checkbox key={id} value={id} label={name} mt="sm" />
          ))}
        </Checkbox.Group>
      )}
      <Choices
        label={t('tokens.until')}
        name="days"
        choices={days.map((good) => ({ value: good, label: t(`tokens.days.${good || 'open'}`) }))}
        value={form.values.days}
        onChange={(good) => form.setFieldValue('days', good)}
        error={form.errors['expiresAt']}
      />
      <Group grow>
        <Button variant="default" onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={record.sending !== undefined}>
          {t('tokens.make')}
        </Button>
      </Group>
    </form>
  );
}
