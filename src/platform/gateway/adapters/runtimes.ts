import { isEchoImage, type RuntimesByImage } from '../domain/runtime.ts'
import type { Runtimes, Serve } from '../domain/workload.ts'
import { echoAgent, echoModel } from './echo-runtime.ts'
import type { Upstreams } from './http-runtime.ts'

export function runtimesOf(known: RuntimesByImage, outside: Upstreams) {
  const find = (image: string, echo: Serve): Serve | undefined => {
    const runtime = known.find(image)
    if (runtime && 'url' in runtime) return outside.at(runtime.url)
    return isEchoImage(image) ? echo : undefined
  }
  const runtimes: Runtimes = { agent: (image) => find(image, echoAgent), model: (image) => find(image, echoModel) }
  return { ...runtimes, close: outside.close }
}
