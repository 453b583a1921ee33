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
})

export type Secrets = z.infer<typeof Secrets>

/** Made at the first start and kept beside the data they protect, readable by their owner only. */
export function keptSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) writePrivate(file, newSecrets())
  const parsed = Secrets.safeParse(withNewOnes(readJson(file), file))
  if (!parsed.success) throw new StartError(`${file} cannot be read: restore it, or run npm run reset to begin anew`)
  return parsed.data
}

/** A folder of an earlier release lacks what came since; what protects data is never made anew. */
function withNewOnes(kept: unknown, file: string): unknown {
  if (typeof kept !== 'object' || kept === null || 'consoleClientSecret' in kept) return kept
  const completed = { ...kept, consoleClientSecret: random() }
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
})

const random = () => randomBytes(32).toString('base64url')

export const writePrivate = (file: string, content: object): void =>
  writePrivateText(file, `${JSON.stringify(content, undefined, 2)}\n`)

/** Whole or not at all: half a file after a power cut would lock its owner out. */
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
