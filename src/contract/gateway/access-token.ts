import { z } from 'zod'

export const IssuedAccessToken = z.object({
  accessToken: z.string().min(1),
  /** Request another token from this time on. */
  expiresAt: z.iso.datetime(),
  /** The request header that the API expects, and the prefix of the token in it. */
  header: z.string(),
  prefix: z.string(),
  apiHosts: z.array(z.string()),
})
export type IssuedAccessToken = z.infer<typeof IssuedAccessToken>
