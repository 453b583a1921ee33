import { z } from 'zod'

const Image = z.string().min(1).max(1_024)

const Path = z.string().regex(/^\/(?!$)/, 'must be an absolute path, and not the whole machine')

/** What runs an image: a server that is there already, or a command that is started for each task of a job. */
const Runtime = z.union([
  z.strictObject({ image: Image, url: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }) }),
  z.strictObject({
    image: Image,
    command: z.array(z.string()).min(1),
    /** Where it starts; it can read what is there. */
    cwd: Path.optional(),
    /** What else of this machine it sees, under the same path. */
    folders: z.array(z.strictObject({ path: Path, writable: z.boolean().default(false) })).default([]),
  }),
])
export type Runtime = z.infer<typeof Runtime>

export const RuntimesFile = z.strictObject({ runtimes: z.array(Runtime) })

/** Built in: answers with what it was sent, and says so. */
export const echoImage = 'local/echo'
