// A rule that says more than the editor's fields can: its sentence, read only, so that no save loses a part of it.
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useRuleWords } from '../../i18n/rule-words';
import { Banner } from '../../ui/Banner';
import type { FarmThings } from './farm';
import type { Rule } from './queries';
import classes from './RuleEditor.module.css';
import { wordsOfRule } from './words';

interface Props {
  rule: Rule;
  rules: readonly Rule[];
  things: FarmThings;
  onLeave: () => void;
}

export function LockedRule({ rule, rules, things, onLeave }: Props) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={classes['editor']}>
      <div className={classes['head']}>
        <h1 ref={heading} tabIndex={-1}>
          {rule.name}
        </h1>
        <Button variant="default" onClick={onLeave}>
          {t('rules.program.back')}
        </Button>
      </div>
      <Banner tone="quiet" text={t('rules.program.locked')} />
      <section className={classes['panel']} aria-label={t('rules.editor.preview')}>
        <p>{words.ruleSentence(wordsOfRule(rule, things.devices, rules, things.setpoints), things.houses)}</p>
      </section>
    </div>
  );
}
