import { z } from 'zod'
import type { FunctionState } from '../../domain/support-ports.ts'
import { paths } from './documents.ts'
import type { PlatformHttp } from './platform-http.ts'

const Found = z.object({
  status: z.string().max(100).optional(),
  spec: z.object({ enabled: z.boolean().optional() }).optional(),
})

/** How the platform itself says a function is; nothing when it has none of that name. */
export const functionState =
  (http: Pick<PlatformHttp, 'send'>) =>
  async (workspace: string, name: string): Promise<FunctionState | undefined> => {
    const { status, body } = await http.send('GET', `${paths.functions}/${name}`, workspace)
    if (status >= 300) return undefined
    const found = Found.safeParse(body).data
    return { status: found?.status?.toLowerCase() ?? 'unknown', enabled: found?.spec?.enabled ?? true }
  }
