// Invites somebody, and keeps what came of it: the link to pass on is shown this once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

type NewInvite = components['schemas']['NewInvite'];

export type Whom = Pick<NewInvite, 'role' | 'languagePref'> & { contact: string };

export function useInvite(farmId: string | undefined) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ contact, ...whom }: Whom) =>
      answer(
        api.POST('/onboarding/invite-user', {
          // Whoever has an @ is an address, as at the sign-in.
          body: {
            ...whom,
            ...(farmId && { farmId }),
            ...(contact.includes('@') ? { email: contact } : { mobile: contact }),
          },
        }),
      ),
    onSuccess: () => farmId && cache.invalidateQueries({ queryKey: keys.users(farmId) }),
  });
}

export type Inviting = ReturnType<typeof useInvite>;
