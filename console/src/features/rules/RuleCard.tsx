// One rule: its sentence, where it stands now, its parts as they were written, and what may be done with it.
import { Button } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import Off from '~icon/CircleOff';
import DraftIcon from '~icon/FilePencil';
import Place from '~icon/MapPin';
import Edit from '~icon/Pencil';
import Pause from '~icon/PlayerPause';
import Play from '~icon/PlayerPlay';
import Deploy from '~icon/Rocket';
import Remove from '~icon/Trash';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import type { FarmThings } from './farm';
import { wordsOfRule } from './form';
import { type Rule, useChangeRule, useDeleteRule } from './queries';
import classes from './RuleCard.module.css';
import { RuleParts } from './RuleParts';
import { RuleStanding } from './RuleStanding';

interface Props {
  rule: Rule;
  /** All of the farm: another may come first at a device. */
  rules: readonly Rule[];
  things: FarmThings;
  writes: boolean;
  onEdit: (rule: Rule) => void;
  /** Something else is done now than what was said before. */
  onChange: () => void;
  onDeleted: () => void;
}

export function RuleCard({ rule, rules, things, writes, onEdit, onChange, onDeleted }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const id = useId();
  return (
    <article className={classes['card']} aria-labelledby={id} data-rule={rule.id}>
      <header className={classes['head']}>
        <h2 id={id}>{rule.name}</h2>
        <p className={classes['badges']}>
          {rule.mode === 'auto' ? (
            <StatePill tone="good" word={t('rules.active')} />
          ) : (
            <StatePill tone="quiet" word={t('rules.disabled')} icon={Off} />
          )}
          {rule.deployed ? (
            <StatePill tone="good" word={t('rules.deployed')} icon={Deploy} />
          ) : (
            <StatePill tone="warn" word={t('rules.draft')} icon={DraftIcon} />
          )}
          <Priority value={rule.priority} />
        </p>
      </header>
      <p className={classes['sentence']}>
        {words.ruleSentence(wordsOfRule(rule, things.devices), things.houses)}
      </p>
      {rule.description && <p className={classes['description']}>{rule.description}</p>}
      <RuleStanding rule={rule} things={things} />
      <RuleParts rule={rule} rules={rules} things={things} />
      <p className={classes['origin']}>
        <span>
          <Place size={18} aria-hidden />
          {words.placePath(rule.scope, things.houses)}
        </span>
        <Created rule={rule} />
      </p>
      {writes && (
        <Buttons
          rule={rule}
          farmId={things.farmId}
          onEdit={onEdit}
          onChange={onChange}
          onDeleted={onDeleted}
        />
      )}
    </article>
  );
}

function Priority({ value }: { value: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return <span className={classes['priority']}>{t('rules.priority', { value: format.count(value) })}</span>;
}

function Created({ rule: { created_at, created_by } }: { rule: Rule }) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = created_at === null || created_at === undefined ? undefined : new Date(created_at);
  if (!at || Number.isNaN(at.getTime())) return null;
  const date = format.shortDate(at);
  return (
    <span>
      {created_by ? t('rules.createdBy', { date, name: created_by }) : t('rules.created', { date })}
    </span>
  );
}

interface ButtonsProps {
  rule: Rule;
  farmId: string;
  onEdit: (rule: Rule) => void;
  onChange: () => void;
  onDeleted: () => void;
}

function Buttons({ rule, farmId, onEdit, onChange, onDeleted }: ButtonsProps) {
  const { t } = useTranslation();
  const change = useChangeRule(farmId, rule.id);
  const remove = useDeleteRule(farmId, rule.id);
  const { name } = rule;
  const enabled = rule.mode === 'auto';
  const busy = change.isPending || remove.isPending;
  const wish = (made: Parameters<typeof change.mutate>[0]) => {
    onChange();
    remove.reset();
    change.mutate(made);
  };
  const erase = () => {
    change.reset();
    remove.mutate(undefined, { onSuccess: onDeleted });
  };
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
      <div className={classes['buttons']}>
        {!rule.deployed && (
          <Button
            className={classes['deploy'] ?? ''}
            leftSection={<Deploy size={20} aria-hidden />}
            aria-label={t('rules.deployOf', { name })}
            loading={change.isPending && change.variables.deployed === true}
            disabled={busy}
            onClick={() => wish({ deployed: true })}
          >
            {t('rules.deploy')}
          </Button>
        )}
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
        <Button
          variant="default"
          leftSection={<Edit size={20} aria-hidden />}
          aria-label={t('rules.editOf', { name })}
          disabled={busy}
          onClick={() => {
            onChange();
            onEdit(rule);
          }}
        >
          {t('rules.edit')}
        </Button>
        <Button
          variant="subtle"
          color="var(--h-bad)"
          className={classes['delete'] ?? ''}
          aria-label={t('rules.deleteOf', { name })}
          title={t('rules.deleteOf', { name })}
          loading={remove.isPending}
          disabled={busy}
          onClick={() => {
            onChange();
            if (window.confirm(t('rules.confirmDelete'))) erase();
          }}
        >
          <Remove size={22} aria-hidden />
          <span className={classes['deleteWord']}>{t('rules.delete')}</span>
        </Button>
      </div>
    </>
  );
}
