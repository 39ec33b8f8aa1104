// The two buttons of whatever can be edited and deleted.
import { ActionIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import Edit from '~icon/Pencil';
import Remove from '~icon/Trash';

interface Props {
  name: string;
  onEdit: () => void;
  editable?: boolean;
  onDelete?: () => void;
  deletable?: boolean;
  /** Why it is not. */
  stays?: string;
}

export function EditDelete({ name, onEdit, editable = true, onDelete, deletable = true, stays }: Props) {
  const { t } = useTranslation();
  const edit = t('screen.editOf', { name });
  const remove = t('screen.deleteOf', { name });
  return (
    <span style={{ display: 'inline-flex', flex: 'none', marginInlineEnd: '-0.75rem' }}>
      <Tool icon={Edit} label={edit} disabled={!editable} onClick={onEdit} />
      {onDelete && (
        <Tool
          icon={Remove}
          color="var(--h-bad)"
          label={remove}
          title={stays ?? remove}
          disabled={!deletable}
          onClick={onDelete}
        />
      )}
    </span>
  );
}

interface ToolProps {
  icon: Icon;
  label: string;
  title?: string;
  color?: string;
  disabled: boolean;
  onClick: () => void;
}

function Tool({ icon: Glyph, label, title = label, color = 'var(--h-ink)', ...button }: ToolProps) {
  return (
    <ActionIcon
      variant="subtle"
      color={color}
      size="3rem"
      aria-label={label}
      title={title}
      // One that cannot be pressed is only paler, and no block in a row of marks.
      style={button.disabled ? { backgroundColor: 'transparent' } : undefined}
      {...button}
    >
      <Glyph size={22} aria-hidden />
    </ActionIcon>
  );
}
