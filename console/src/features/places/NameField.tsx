// The field of a place's name, the first of its form.
import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function NameField(props: TextInputProps) {
  const { t } = useTranslation();
  return (
    <TextInput label={t('form.name')} name="name" required data-autofocus autoComplete="off" {...props} />
  );
}
