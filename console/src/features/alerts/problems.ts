// What the server refused about an alert rule, at the fields it is about. The engine says its reasons in English with a
// stable code; those that a person can run into have words in their language.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError, type FieldProblem } from '../../api/errors';

const words: Record<string, ParseKeys> = {
  no_sensor: 'alerts.problem.noSensor',
  out_of_range: 'alerts.problem.outOfRange',
  unknown: 'alerts.problem.unknownPlace',
};

/** The paths that have a field of their own; of a scope, whatever is wrong with it is said at the place. */
const hasField =
  /^(name|repeatsIn|repeatUnit|subscribers|scope|match|hold_sec|clear_sec|evidence|severity|conditions\[\d+\]\.(sensor|operator|value))$/;

/** A problem's field: `scope.zoneId` is said at `scope`. */
function fieldOf(path: string): string {
  return path.replace(/^(scope|subscribers)\b.*$/, '$1');
}

export function useProblems(error: unknown) {
  const { t } = useTranslation();
  const said: readonly FieldProblem[] = error instanceof ApiError ? error.problems : [];
  const text = ({ code, message }: FieldProblem) => {
    const key = words[code];
    return key ? t(key) : message;
  };
  return {
    at: (path: string): string | undefined => {
      const problem = said.find((candidate) => fieldOf(candidate.path) === path);
      return problem && text(problem);
    },
    /** What is about none of the form's fields. */
    elsewhere: said.filter(({ path }) => !hasField.test(fieldOf(path))).map(text),
  };
}
