// What may be done with a rule from its line: deployed, enabled and disabled, edited, deleted; and what is said when that failed.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Edit from '~icon/Pencil';
import Pause from '~icon/PlayerPause';
import Play from '~icon/PlayerPlay';
import Deploy from '~icon/Rocket';
import Remove from '~icon/Trash';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { type Rule, type RuleChange, useChangeRule, useDeleteRule } from './queries';
import classes from './RuleRow.module.css';

export interface Deeds {
  onEdit: (rule: Rule) => void;
  /** Something else is done now than what was said before. */
  onChange: () => void;
  onDeleted: () => void;
}

/** The wishes of a person for a rule, and how far they came. */
export function useRuleActions(rule: Rule, farmId: string, { onEdit, onChange, onDeleted }: Deeds) {
  const change = useChangeRule(farmId, rule.id);
  const remove = useDeleteRule(farmId, rule.id);
  const { t } = useTranslation();
  return {
    rule,
    change,
    remove,
    busy: change.isPending || remove.isPending,
    wish: (made: RuleChange) => {
      onChange();
      remove.reset();
      change.mutate(made);
    },
    erase: () => {
      change.reset();
      remove.mutate(undefined, { onSuccess: onDeleted });
    },
    askToErase() {
      onChange();
      if (window.confirm(t('rules.confirmDelete'))) this.erase();
    },
    edit: () => {
      onChange();
      onEdit(rule);
    },
  };
}

export type RuleActions = ReturnType<typeof useRuleActions>;

export function Failures({ actions: { change, remove, wish, erase } }: { actions: RuleActions }) {
  const { t } = useTranslation();
  const failedWish = change.variables?.deployed
    ? t('rules.failed.deploy')
    : t(change.variables?.mode === 'auto' ? 'rules.failed.enable' : 'rules.failed.disable');
  return (
    <>
      {change.isError && change.variables && (
        <Banner
          tone="bad"
          text={`${failedWish} ${failureText(t, change.error, '')}`.trim()}
          action={{ label: t('app.retry'), run: () => wish(change.variables) }}
        />
      )}
      {remove.isError && (
        <Banner
          tone="bad"
          text={`${t('rules.failed.delete')} ${failureText(t, remove.error, '')}`.trim()}
          action={{ label: t('app.retry'), run: erase }}
        />
      )}
    </>
  );
}

export function DeployButton({ actions: { rule, change, busy, wish } }: { actions: RuleActions }) {
  const { t } = useTranslation();
  return (
    <Button
      leftSection={<Deploy size={20} aria-hidden />}
      aria-label={t('rules.deployOf', { name: rule.name })}
      loading={change.isPending && change.variables.deployed === true}
      disabled={busy}
      onClick={() => wish({ deployed: true })}
    >
      {t('rules.deploy')}
    </Button>
  );
}

export function ModeButton({ actions: { rule, change, busy, wish } }: { actions: RuleActions }) {
  const { t } = useTranslation();
  const { name } = rule;
  const enabled = rule.mode === 'auto';
  return (
    <Button
      variant="default"
      leftSection={enabled ? <Pause size={20} aria-hidden /> : <Play size={20} aria-hidden />}
      aria-label={t(enabled ? 'rules.disableOf' : 'rules.enableOf', { name })}
      loading={change.isPending && change.variables.mode !== undefined}
      disabled={busy}
      onClick={() => wish({ mode: enabled ? 'disabled' : 'auto' })}
    >
      {t(enabled ? 'rules.disable' : 'rules.enable')}
    </Button>
  );
}

export function EditButton({ actions: { rule, busy, edit } }: { actions: RuleActions }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="default"
      leftSection={<Edit size={20} aria-hidden />}
      aria-label={t('rules.editOf', { name: rule.name })}
      disabled={busy}
      onClick={edit}
    >
      {t('rules.edit')}
    </Button>
  );
}

export function DeleteButton({ actions }: { actions: RuleActions }) {
  const { t } = useTranslation();
  const name = t('rules.deleteOf', { name: actions.rule.name });
  return (
    <Button
      variant="subtle"
      // Not as loud as what is done every day; the question before it is.
      color="var(--h-soft)"
      className={classes['delete'] ?? ''}
      leftSection={<Remove size={20} aria-hidden />}
      aria-label={name}
      title={name}
      loading={actions.remove.isPending}
      disabled={actions.busy}
      onClick={() => actions.askToErase()}
    >
      {t('rules.delete')}
    </Button>
  );
}
