import * as z from 'zod';

/** Authors of messages. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

/** One message of a conversation. */
export const Message = z.strictObject({ role: Role, content: z.string() });
export type Message = z.infer<typeof Message>;
