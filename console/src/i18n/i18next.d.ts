// Makes `t('...')` accept only keys that exist.
import 'i18next';
import type en from './en';
import type alerts from './en/alerts.json';
import type crops from './en/crops.json';
import type logs from './en/logs.json';
import type records from './en/records.json';
import type rules from './en/rules.json';
import type trade from './en/trade.json';

type Texts = typeof en &
  typeof alerts &
  typeof crops &
  typeof logs &
  typeof records &
  typeof rules &
  typeof trade;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Texts };
    returnNull: false;
  }
}
