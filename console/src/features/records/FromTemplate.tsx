// Takes the stages of a new crop cycle from a template.
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type BesideProps, first } from './field';
import { recordsQuery } from './kind';
import { stages } from './stages';
import { templateCalls } from './template';

export function FromTemplate({ form, farmId, name }: BesideProps) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(recordsQuery(farmId, templateCalls));
  if (data.length === 0 || (form.values[name] as object[]).length > 0) return null;
  const take = (id: string) => {
    const template = data.find((each) => each.id === id);
    if (!template) return;
    form.setFieldValue(name, first(stages, template));
    for (const field of ['crop', 'variety'] as const)
      if (!form.values[field]) form.setFieldValue(field, template[field] ?? '');
  };
  return (
    <NativeSelect
      label={t('cycles.template')}
      value=""
      onChange={({ currentTarget }) => take(currentTarget.value)}
      data={[
        { value: '', label: t('cycles.noTemplate') },
        ...data.map(({ id, name: template }) => ({ value: id, label: template })),
      ]}
    />
  );
}
