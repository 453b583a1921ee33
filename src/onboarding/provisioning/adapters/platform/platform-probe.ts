import { z } from 'zod'
import { Integration } from '../../../../contract/control-plane/catalogue.ts'
import { Workspace } from '../../../../contract/control-plane/workspace.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { PlatformProbe } from '../../../domain/ports/platform.ts'
import { misconfigured, noPlatform, type PlatformHttp } from './platform-http.ts'

export const platformProbe = (http: Pick<PlatformHttp, 'look'>): PlatformProbe => ({
  async look() {
    try {
      const [workspaces, integrations] = await Promise.all([
        namesAt(http, '/workspaces', z.array(Workspace.pick({ name: true }))),
        namesAt(http, '/integrations', z.array(Integration.pick({ name: true }))),
      ])
      return { problem: undefined, workspaces, integrations }
    } catch (error) {
      if (!(error instanceof DependencyError)) throw error
      return { problem: error, workspaces: undefined, integrations: undefined }
    }
  },
})

async function namesAt(
  http: Pick<PlatformHttp, 'look'>,
  path: string,
  list: z.ZodType<Array<{ name: string }>>,
): Promise<string[] | undefined> {
  const { status, body, isPlatform } = await http.look(path)
  const listed = list.safeParse(body).data
  if (!isPlatform || (status === 200 && !listed)) throw noPlatform(status)
  if (status === 401) throw misconfigured('401: PLATFORM_API_KEY is not accepted')
  if (status === 429 || status >= 500) {
    throw new DependencyError('platform_unavailable', { retry: {}, detail: String(status) })
  }
  return status === 200 ? listed?.map(({ name }) => name) : undefined
}
