import { Failure } from '../../../shared/domain/failure.ts'
import { enterGateway } from '../../../shared/http/enter-gateway.ts'
import type { Guards } from '../../../shared/http/operation.ts'
import type { RelayAddress } from '../../domain/relay/relay.ts'
import type { OpenRelay } from '../../flows/relay/open-accounts.ts'
import { proxyHeaders } from '../proxy-headers.ts'
import type { ProxyHandler } from '../workload-fast-path.ts'
import { type ExchangePorts, relayExchange } from './relayed-exchange.ts'

export function serveRelay(
  ports: ExchangePorts,
  openRelay: OpenRelay,
  guards: Guards,
  publicUrl: string,
): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  return async ({ req, res, requestId, always, ...request }) => {
    const { workspace, caller } = await enterGateway(req, guards, {
      scope: 'functions:get',
      workspace: request.workspace,
    })
    const address = addressIn(request.path)
    const opened = await openRelay(workspace, request.name)
    await relayExchange(ports, passing, {
      ...{ req, res, requestId, always, workspace, caller, opened, address },
      headers: passing.forwarded(req.headers),
      relay: `${publicUrl}/${workspace}/functions/${opened.name}/relay`,
    })
  }
}

/** `/relay/{host}/{path}?{query}` */
function addressIn(path: string): RelayAddress {
  const [, host, rest = ''] = /^\/relay\/([A-Za-z0-9.:-]+)((?:[/?].*)?)$/s.exec(path) ?? []
  if (host === undefined) {
    throw new Failure(
      'route_unknown',
      'Use /relay/{host}/{path} with an API host of the function, or - for the first one.',
    )
  }
  return { host: host.toLowerCase(), rest }
}
