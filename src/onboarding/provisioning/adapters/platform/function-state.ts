import { z } from 'zod'
import { McpFunction } from '../../../../contract/control-plane/function.ts'
import type { FunctionState } from '../../../domain/ports/support-ledger.ts'
import { paths } from './documents.ts'
import type { PlatformHttp } from './platform-http.ts'

/** Two members of the contract's document; another platform may leave either out, or have words of its own. */
const Stated = z.object({
  status: McpFunction.shape.status.optional().catch(undefined),
  spec: McpFunction.shape.spec.pick({ enabled: true }).catch({ enabled: true }),
})

/** How the platform itself says a function is; nothing when it has none of that name. */
export const functionState =
  (http: Pick<PlatformHttp, 'send'>) =>
  async (workspace: string, name: string): Promise<FunctionState | undefined> => {
    const { status, body } = await http.send('GET', `${paths.functions}/${name}`, workspace)
    if (status >= 300) return undefined
    const found = Stated.safeParse(body).data
    return { status: found?.status?.toLowerCase() ?? 'unknown', enabled: found?.spec.enabled ?? true }
  }
