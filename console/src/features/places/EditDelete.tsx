// The two buttons of whatever can be edited and deleted.
import { ActionIcon } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Edit from '~icon/Pencil';
import Remove from '~icon/Trash';
import classes from './places.module.css';

interface Props {
  name: string;
  onEdit: () => void;
  onDelete?: () => void;
}

export function EditDelete({ name, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  return (
    <span className={classes['tools']}>
      <ActionIcon
        variant="subtle"
        color="var(--h-ink)"
        size="3rem"
        aria-label={t('places.editOf', { name })}
        title={t('places.editOf', { name })}
        onClick={onEdit}
      >
        <Edit size={22} aria-hidden />
      </ActionIcon>
      {onDelete && (
        <ActionIcon
          variant="subtle"
          color="var(--h-bad)"
          size="3rem"
          aria-label={t('places.deleteOf', { name })}
          title={t('places.deleteOf', { name })}
          onClick={onDelete}
        >
          <Remove size={22} aria-hidden />
        </ActionIcon>
      )}
    </span>
  );
}
