import { z } from 'zod'

const Image = z.string().min(1).max(1_024)

/** What runs an image: a server that is there already, or a command that is started for each task of a job. */
const Runtime = z.union([
  z.strictObject({ image: Image, url: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }) }),
  z.strictObject({ image: Image, command: z.array(z.string()).min(1), cwd: z.string().optional() }),
])
export type Runtime = z.infer<typeof Runtime>

export const RuntimesFile = z.strictObject({ runtimes: z.array(Runtime) })

/** Built in: answers with what it was sent, and says so. */
export const echoImage = 'local/echo'
