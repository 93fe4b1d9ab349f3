import { z } from 'zod';

export const accountRole = z.enum(['USER', 'MODERATOR', 'ADMIN']).meta({ id: 'Role' });
