// Why a device does what it does, in a line: the rule's limits and what is read now, or who has it.
import { useQuery } from '@tanstack/react-query';
import { conditionsQuery } from '../api/queries';
import { ruleOf, useWhyLine } from './causes';
import type { Device } from './device';
import type { Rule } from './place';
import { useHolderText } from './useHolderText';

/** What is shown of many devices is asked for less often than what one looks at. */
const SEE_AGAIN_MS = 10_000;

interface Props {
  farmId: string;
  device: Device;
  rules: readonly Rule[] | undefined;
}

export function WhyLine({ farmId, device, rules }: Props) {
  const say = useWhyLine();
  const holderText = useHolderText(new Map(rules?.map(({ id, name }) => [id, name])));
  const rule = ruleOf(device, rules);
  const seen = useQuery({
    ...conditionsQuery(farmId),
    refetchInterval: SEE_AGAIN_MS,
    enabled: rule !== undefined,
  }).data?.find((each) => each.rule === rule?.id);
  return rule ? say(rule, seen) : holderText(device);
}
