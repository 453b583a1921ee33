import { z } from 'zod'
import { input, plain, ResourceName } from '../resource.ts'

const Spec = z.object({
  integration: ResourceName,
  /** Non-secret values of the account that were entered or received, by their names in the profile. */
  config: z.record(z.string().min(1).max(128), z.string().max(1_024)).optional(),
  /** A page where the owner of the account renews the grant. Calls that need it lead there. */
  repairUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
  /**
   * `CLIENT_ID`, `CLIENT_SECRET` and `REFRESH_TOKEN` for OAuth. `ACCESS_TOKEN` replaces `REFRESH_TOKEN` if access
   * tokens do not expire. If both are missing, no account is linked yet. Responses are masked.
   */
  secret: z.record(z.string().min(1).max(128), z.string().max(16_384)),
})

/** Names of secrets that hold the URL of a model API, to which the other secrets are sent. */
export const addressSecrets: readonly string[] = ['BASE_URL', 'BASEURL', 'baseUrl', 'URL', 'ENDPOINT']

export const IntegrationConnectionInput = input(Spec)
export type IntegrationConnectionInput = z.input<typeof IntegrationConnectionInput>

export const IntegrationConnection = plain(Spec)
export type IntegrationConnection = z.infer<typeof IntegrationConnection>
