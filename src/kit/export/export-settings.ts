import { z } from 'zod'
import { Secret } from '../crypto/secret.ts'
import { StartError } from '../process/start-error.ts'
import type { ExportSettings } from './open-destinations.ts'

export const exportFolder = () => z.string().startsWith('/', 'must be an absolute path').optional()

/** Standard Webhooks: 24 to 64 bytes. All of them sign, so that a receiver can switch to a new one at any time. */
export const webhookSecrets = () =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((each) => each !== ''))
    .refine(
      (secrets) => secrets.length > 0 && secrets.every(isSecret),
      'must be a list of whsec_ and 24 to 64 bytes in base64',
    )
    .transform((secrets) => secrets.map((secret) => new Secret(secret)))
    .optional()

function isSecret(text: string): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
}

type Given = {
  folder: string | undefined
  otlp: string | undefined
  headers: Readonly<Record<string, string>>
  url: string | undefined
  secrets: readonly Secret[] | undefined
}

/** `prefix`: of the variables, for errors. */
export function exportSettings(prefix: string, { url, secrets, ...others }: Given): ExportSettings {
  if (url === undefined && secrets === undefined) return { ...others, webhook: undefined }
  if (url === undefined)
    throw new StartError([`${prefix}_WEBHOOK_URL: is missing; ${prefix}_WEBHOOK_SECRETS is only used with it`])
  if (secrets === undefined)
    throw new StartError([`${prefix}_WEBHOOK_SECRETS: is missing; it signs the batches for ${prefix}_WEBHOOK_URL`])
  return { ...others, webhook: { url, secrets } }
}
