// Who or what made a device do what it did, in words.
import { useTranslation } from 'react-i18next';

interface Cause {
  cause: string;
  /** The rule's or the person's name. */
  by: string | null;
}

export function useCauseText(): (of: Cause) => string {
  const { t } = useTranslation();
  return ({ cause, by }) => {
    switch (cause) {
      case 'rule':
        return t('history.cause.rule', { rule: by ?? '' });
      case 'manual':
        return by ?? t('history.cause.manual');
      case 'rest':
      case 'lock':
      case 'safety':
      case 'max_on':
      case 'limit':
      case 'corrected':
      case 'device':
        return t(`history.cause.${cause}`);
      default:
        return by ?? cause;
    }
  };
}
