// Makes `t('...')` accept only keys that exist.
import 'i18next';
import type en from './en';
import type alerts from './en/alerts.json';
import type condition from './en/condition.json';
import type controllers from './en/controllers.json';
import type crops from './en/crops.json';
import type dashboard from './en/dashboard.json';
import type day from './en/day.json';
import type deliveries from './en/deliveries.json';
import type derived from './en/derived.json';
import type effects from './en/effects.json';
import type exceptions from './en/exceptions.json';
import type explained from './en/explained.json';
import type holders from './en/holders.json';
import type invitations from './en/invitations.json';
import type ledger from './en/ledger.json';
import type letter from './en/letter.json';
import type limits from './en/limits.json';
import type logs from './en/logs.json';
import type manual from './en/manual.json';
import type outages from './en/outages.json';
import type places from './en/places.json';
import type profile from './en/profile.json';
import type records from './en/records.json';
import type rules from './en/rules.json';
import type start from './en/start.json';
import type tasks from './en/tasks.json';
import type tokens from './en/tokens.json';
import type trade from './en/trade.json';
import type users from './en/users.json';
import type work from './en/work.json';

type Texts = typeof en &
  typeof alerts &
  typeof condition &
  typeof controllers &
  typeof crops &
  typeof dashboard &
  typeof day &
  typeof deliveries &
  typeof derived &
  typeof effects &
  typeof exceptions &
  typeof explained &
  typeof holders &
  typeof invitations &
  typeof ledger &
  typeof letter &
  typeof limits &
  typeof logs &
  typeof manual &
  typeof outages &
  typeof places &
  typeof profile &
  typeof records &
  typeof rules &
  typeof start &
  typeof tasks &
  typeof tokens &
  typeof trade &
  typeof users &
  typeof work;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Texts };
    returnNull: false;
  }
}
