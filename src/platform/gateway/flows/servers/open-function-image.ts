import { Failure } from '../../../shared/domain/failure.ts'
import { type Divided, divided } from '../../domain/divided-requests.ts'
import {
  type FindWorkload,
  type Runtimes,
  running,
  type Serve,
  type Workload,
  withOwnTimeout,
} from '../../domain/workload.ts'

export type FunctionImage = Divided<{ workload: Workload; serve: Serve }>

type Needs = { findWorkload: FindWorkload; runtimes: Pick<Runtimes, 'function'> }

/** The MCP server of an image. */
export const openFunctionImage =
  ({ findWorkload, runtimes }: Needs) =>
  async (workspace: string, name: string): Promise<FunctionImage> =>
    divided(running(await findWorkload(workspace, 'function', name), 'function'), (workload) => {
      const serve = runtimes.function(workload)
      if (!serve) throw new Failure('workload_unavailable', `No runtime is configured for the image ${workload.image}.`)
      return { workload, serve: withOwnTimeout(serve, workload) }
    })
