import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'

const Secrets = z.object({
  onboardingEncryptionKeys: z.string(),
  onboardingSigningKey: z.string(),
  platformEncryptionKeys: z.string(),
  fileboxClientSecret: z.string(),
  portalSessionSecret: z.string(),
  consoleClientSecret: z.string(),
  settingsKey: z.string(),
})

export type Secrets = z.infer<typeof Secrets>

/** Created at the first start and stored beside the data they protect. */
export function keptSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) writePrivate(file, newSecrets())
  const parsed = Secrets.safeParse(withNewSecrets(readJson(file), file))
  if (!parsed.success)
    throw new StartError(`${file} cannot be read: restore it, or clear the demo's data with npm run reset`)
  return parsed.data
}

/** Adds a secret that folders of earlier releases lack. Secrets that protect data are never replaced. */
function withNewSecrets(kept: unknown, file: string): unknown {
  if (typeof kept !== 'object' || kept === null || 'settingsKey' in kept) return kept
  const completed = { consoleClientSecret: random(), settingsKey: random(), ...kept }
  writePrivate(file, completed)
  return completed
}

const newSecrets = (): Secrets => ({
  onboardingEncryptionKeys: `k1:${random()}`,
  onboardingSigningKey: random(),
  platformEncryptionKeys: `k1:${random()}`,
  fileboxClientSecret: random(),
  portalSessionSecret: random(),
  consoleClientSecret: random(),
  settingsKey: random(),
})

const random = () => randomBytes(32).toString('base64url')

export const writePrivate = (file: string, content: object): void =>
  writePrivateText(file, `${JSON.stringify(content, undefined, 2)}\n`)

/** Atomic: half a file after a power cut would lock its owner out. */
export function writePrivateText(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
