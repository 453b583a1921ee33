import { z } from 'zod'
import { canonicalImage, noImageReference } from '../../../contract/control-plane/image-reference.ts'

const Image = z.string().min(1).max(1_024)

const Path = z.string().regex(/^\/(?!$)/, 'must be an absolute path other than /')

const Runtime = z.union([
  z.strictObject({ image: Image, url: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }) }),
  z.strictObject({
    image: Image,
    command: z.array(z.string()).min(1),
    cwd: Path.optional(),
    folders: z.array(z.strictObject({ path: Path, writable: z.boolean().default(false) })).default([]),
  }),
])
export type Runtime = z.infer<typeof Runtime>

export const RuntimesFile = z.strictObject({ runtimes: z.array(Runtime).check(namesEachOnce) })

/** With two spellings of one image, the order of the file would decide which runs. */
function namesEachOnce({ value, issues }: z.core.ParsePayload<Runtime[]>): void {
  const seen = new Map<string, string>()
  for (const [at, { image }] of value.entries()) {
    const canonical = canonicalImage(image)
    const other = canonical === undefined ? undefined : seen.get(canonical)
    const message = canonical === undefined ? noImageReference : other && `names the same image as ${other}`
    if (message) issues.push({ code: 'custom', input: image, path: [at, 'image'], message })
    else if (canonical) seen.set(canonical, image)
  }
}

export type RuntimesByImage = { all: readonly Runtime[]; find(image: string): Runtime | undefined }

export function runtimesByImage(all: readonly Runtime[]): RuntimesByImage {
  const byName = new Map(all.map((runtime) => [canonicalImage(runtime.image), runtime]))
  return { all, find: (image) => byName.get(canonicalImage(image)) }
}

export const echoImage = 'local/echo'

const canonicalEcho = canonicalImage(echoImage)
export const isEchoImage = (image: string): boolean => canonicalImage(image) === canonicalEcho
