// Asks the server who the token belongs to. A refused token ends the session (cache.ts); a silent server changes nothing.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { updateUser } from './session';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    const { user } = await answer(api.GET('/auth/me'));
    updateUser(user);
    return user;
  },
  staleTime: 5 * 60_000,
});
