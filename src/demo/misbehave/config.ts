import { z } from 'zod'
import { parseEnvironment, port, publicUrl } from '../../kit/process/environment.ts'
import { jsonFile } from '../../kit/process/json-setting.ts'
import { parseSwitches, type Switches, SwitchUnknown } from './domain/switch-table.ts'

/** `{ "our-crm": { "pkce": "refused", "rotation": "single_use" } }` */
const PresetsFile = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'must be a name in lower case'), z.record(z.string(), z.string()))
  .transform((given, context) => {
    const read = ([name, switches]: [string, Record<string, string>]): [string, Partial<Switches>] => {
      try {
        return [name, parseSwitches(Object.entries(switches))]
      } catch (error) {
        if (!(error instanceof SwitchUnknown)) throw error
        context.addIssue({ code: 'custom', path: [name], message: error.message })
        return [name, {}]
      }
    }
    return Object.fromEntries(Object.entries(given).map(read))
  })

const Environment = z.object({
  /** Loopback by default: this provider admits everyone. */
  MISBEHAVE_HOST: z.string().default('127.0.0.1'),
  MISBEHAVE_PORT: port().default(4_400),
  /** The URL that clients use, if it differs from host and port, as in a container. */
  MISBEHAVE_URL: publicUrl().optional(),
  MISBEHAVE_PRESETS: jsonFile(PresetsFile).optional(),
})

export function readConfig(env: NodeJS.ProcessEnv) {
  const read = parseEnvironment(Environment, env)
  return {
    host: read.MISBEHAVE_HOST,
    port: read.MISBEHAVE_PORT,
    publicUrl: read.MISBEHAVE_URL,
    presets: read.MISBEHAVE_PRESETS ?? {},
  } as const
}
