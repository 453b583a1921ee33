import { z } from 'zod'
import { McpFunction } from '../../../../contract/control-plane/workloads.ts'
import { CoreEvent } from '../../../../contract/resource.ts'
import type { FunctionState } from '../../../domain/ports/support-ledger.ts'
import { paths } from './documents.ts'
import type { PlatformHttp } from './platform-http.ts'

/** Another platform may omit any member or use other values. */
const Stated = z.object({
  status: McpFunction.shape.status.optional().catch(undefined),
  spec: McpFunction.shape.spec.pick({ enabled: true }).catch({ enabled: true }),
  events: z.array(CoreEvent.pick({ status: true, message: true })).catch([]),
})

export function stateIn(body: unknown): FunctionState {
  const found = Stated.safeParse(body).data
  const status = found?.status?.toLowerCase() ?? 'unknown'
  const message =
    status === 'failed' ? found?.events.findLast((event) => event.status === 'FAILED')?.message : undefined
  return { status, enabled: found?.spec.enabled ?? true, message: message && oneLine(message) }
}

const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)

export const functionState =
  (http: Pick<PlatformHttp, 'send'>) =>
  async (workspace: string, name: string): Promise<FunctionState | undefined> => {
    const { status, body } = await http.send('GET', `${paths.functions}/${name}`, workspace)
    if (status >= 300) return undefined
    return stateIn(body)
  }
