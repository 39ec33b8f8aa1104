// One rule: its sentence, where it stands now, its parts as they were written, and what may be done with it. On a phone the
// list is to be looked over: there the parts are folded.
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Off from '~icon/CircleOff';
import DraftIcon from '~icon/FilePencil';
import Place from '~icon/MapPin';
import Deploy from '~icon/Rocket';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { StatePill } from '../../ui/StatePill';
import type { FarmThings } from './farm';
import { wordsOfRule } from './form';
import type { Rule } from './queries';
import {
  type Deeds,
  DeleteButton,
  DeployButton,
  EditButton,
  Failures,
  ModeButton,
  ModeSwitch,
  useRuleActions,
} from './RuleActions';
import classes from './RuleCard.module.css';
import { RuleParts } from './RuleParts';
import { RuleStanding } from './RuleStanding';

interface Props extends Deeds {
  rule: Rule;
  /** All of the farm: another may come first at a device. */
  rules: readonly Rule[];
  things: FarmThings;
  writes: boolean;
  /** Whether it is what was saved last. */
  saved: boolean;
  /** On a phone: whether its details are unfolded. */
  unfolded: boolean;
  onUnfold: (unfolded: boolean) => void;
}

/** Below this a card says what matters, and folds the rest. */
const PHONE = '(max-width: 47.99em)';

export function RuleCard(props: Props) {
  const id = useId();
  const phone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const Layout = phone ? PhoneCard : DeskCard;
  const { saved } = props;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (saved) card.current?.scrollIntoView({ block: 'center' });
  }, [saved]);
  return (
    <article
      ref={card}
      className={classes['card']}
      aria-labelledby={id}
      data-rule={props.rule.id}
      data-saved={saved || undefined}
    >
      <Layout {...props} id={id} />
    </article>
  );
}

function DeskCard({ rule, rules, things, writes, id, ...deeds }: Props & { id: string }) {
  return (
    <>
      <header className={classes['head']}>
        <h2 id={id}>{rule.name}</h2>
        <p className={classes['badges']}>
          <Mode rule={rule} />
          <Deployed rule={rule} />
          <Priority value={rule.priority} />
        </p>
      </header>
      <Sentence rule={rule} things={things} />
      {rule.description && <p className={classes['description']}>{rule.description}</p>}
      <RuleStanding rule={rule} things={things} />
      <RuleParts rule={rule} rules={rules} things={things} />
      <Origin rule={rule} things={things} />
      {writes && <Buttons rule={rule} farmId={things.farmId} {...deeds} />}
    </>
  );
}

/** To be read while walking past: what the rule does, how it stands, and its switch. The rest is a touch away. */
function PhoneCard({
  rule,
  rules,
  things,
  writes,
  id,
  unfolded,
  onUnfold,
  ...deeds
}: Props & { id: string }) {
  const { t } = useTranslation();
  const actions = useRuleActions(rule, things.farmId, deeds);
  return (
    <>
      <h2 id={id}>{rule.name}</h2>
      <Sentence rule={rule} things={things} />
      <RuleStanding rule={rule} things={things} />
      {writes && <Failures actions={actions} />}
      <div className={classes['glance']}>
        {writes ? <ModeSwitch actions={actions} /> : <Mode rule={rule} />}
        {!rule.deployed && (writes ? <DeployButton actions={actions} /> : <Deployed rule={rule} />)}
      </div>
      <details
        className={classes['more']}
        open={unfolded}
        onToggle={(event) => onUnfold(event.currentTarget.open)}
      >
        <summary>{t('rules.details')}</summary>
        <div className={classes['folded']}>
          <p className={classes['badges']}>
            <Deployed rule={rule} />
            <Priority value={rule.priority} />
          </p>
          {rule.description && <p>{rule.description}</p>}
          <RuleParts rule={rule} rules={rules} things={things} />
          <Origin rule={rule} things={things} />
          {writes && (
            <div className={classes['buttons']}>
              <EditButton actions={actions} />
              <DeleteButton actions={actions} />
            </div>
          )}
        </div>
      </details>
    </>
  );
}

function Sentence({ rule, things }: { rule: Rule; things: FarmThings }) {
  const words = useDomain();
  return (
    <p className={classes['sentence']}>
      {words.ruleSentence(wordsOfRule(rule, things.devices), things.houses)}
    </p>
  );
}

function Mode({ rule }: { rule: Rule }) {
  const { t } = useTranslation();
  return rule.mode === 'auto' ? (
    <StatePill tone="good" word={t('rules.active')} />
  ) : (
    <StatePill tone="quiet" word={t('rules.disabled')} icon={Off} />
  );
}

function Deployed({ rule }: { rule: Rule }) {
  const { t } = useTranslation();
  return rule.deployed ? (
    <StatePill tone="good" word={t('rules.deployed')} icon={Deploy} />
  ) : (
    <StatePill tone="warn" word={t('rules.draft')} icon={DraftIcon} />
  );
}

function Origin({ rule, things }: { rule: Rule; things: FarmThings }) {
  const words = useDomain();
  return (
    <p className={classes['origin']}>
      <span>
        <Place size={18} aria-hidden />
        {words.placePath(rule.scope, things.houses)}
      </span>
      <Created rule={rule} />
    </p>
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

function Buttons({ rule, farmId, ...deeds }: Deeds & { rule: Rule; farmId: string }) {
  const actions = useRuleActions(rule, farmId, deeds);
  return (
    <>
      <Failures actions={actions} />
      <div className={classes['buttons']}>
        {!rule.deployed && <DeployButton actions={actions} />}
        <ModeButton actions={actions} />
        <EditButton actions={actions} />
        <DeleteButton actions={actions} />
      </div>
    </>
  );
}
