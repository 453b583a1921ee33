import { listensInTime } from '../../shared/adapters/engines/port-listening.ts'
import type { Engine, KeptContainer } from '../../shared/domain/engine.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'

export const containerPreparer =
  ({ containers }: Engine): ControlPlanePorts['prepareContainer'] =>
  async ({ kind, ...kept }, signal) => {
    if (!containers) return {}
    if (kind === 'job') return containers.fetch(kept.image)
    const started = await containers.keep(kept)
    if (started.problem !== undefined || !kept.serves) return started
    return (await listensInTime(containers, kept, signal)) ? {} : { problem: notListening(kept) }
  }

const notListening = ({ image, serves }: KeptContainer) =>
  `The image ${image} did not listen at port ${serves?.port} within a minute. Its server gets the port in PORT and may listen at the loopback address; spec.runtime.ports changes it. The image needs /bin/sh with bash or nc.`
