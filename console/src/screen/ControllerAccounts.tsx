// What the controllers connect with, shown once.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Panel } from '../../ui/Panel';
import classes from './onboarding.module.css';
import { useNewControllers } from './secrets';

export function Secrets() {
  const { t } = useTranslation();
  const [controllers, forget] = useNewControllers();
  if (controllers.length === 0) return null;
  return (
    <Panel title={t('setup.secretsTitle')} hint={t('setup.secretsHint')} tone="warn">
      {controllers.map(({ id, name, mqtt }) => (
        <article key={id} className={classes['secret']}>
          <h3>{name}</h3>
          <dl>
            <dt>{t('setup.broker')}</dt>
            <dd>{mqtt.address}</dd>
            <dt>{t('setup.mqttUser')}</dt>
            <dd>{mqtt.username}</dd>
            <dt>{t('setup.mqttPassword')}</dt>
            <dd>{mqtt.password}</dd>
            <dt>{t('setup.topic')}</dt>
            <dd>{mqtt.topic}</dd>
          </dl>
        </article>
      ))}
      <Button variant="default" onClick={forget}>
        {t('setup.noted')}
      </Button>
    </Panel>
  );
}
