import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../src/platform/shared/http/operation.ts'
import { operationTable } from '../../../src/platform/shared/http/operation-table.ts'

const operation = (method: Operation['method'], path: string) =>
  ({ method, path, scope: 'x', summary: '', answers: {} }) as unknown as Operation

const table = operationTable([
  operation('get', '/integrations/connections'),
  operation('get', '/integrations/connections/{connectionName}'),
  operation('get', '/integrations/{integrationName}'),
  operation('post', '/workspaces/availability'),
  operation('get', '/workspaces/{workspaceName}'),
  operation('put', '/workspaces/{workspaceName}'),
  operation('post', '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips'),
])

const found = (method: string, path: string) => {
  const answer = table.find(method, path)
  return answer && 'operation' in answer ? [answer.operation.path, answer.params] : answer
}

describe('a path', () => {
  test.each([
    ['GET', '/integrations/connections', ['/integrations/connections', {}]],
    ['GET', '/integrations/gmail', ['/integrations/{integrationName}', { integrationName: 'gmail' }]],
    [
      'GET',
      '/integrations/connections/mine',
      ['/integrations/connections/{connectionName}', { connectionName: 'mine' }],
    ],
    ['GET', '/workspaces/acme/', ['/workspaces/{workspaceName}', { workspaceName: 'acme' }]],
    ['GET', '/workspaces/availability', ['/workspaces/{workspaceName}', { workspaceName: 'availability' }]],
    ['GET', '/workspaces/a%20b%2Fc', ['/workspaces/{workspaceName}', { workspaceName: 'a b/c' }]],
    [
      'POST',
      '/vpcs/net/egressgateways/gate/ips',
      ['/vpcs/{vpcName}/egressgateways/{gatewayName}/ips', { vpcName: 'net', gatewayName: 'gate' }],
    ],
  ])('%s %s finds its operation', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected)
  })

  test.each([
    '/',
    '',
    '/never',
    '/integrations',
    '/integrations//x',
    '/vpcs//egressgateways/gate/ips',
    '/workspaces/a/b',
    '/workspaces/a#b',
    '/vpcs/net',
  ])('%j finds nothing', (path) => {
    expect(found('GET', path)).toBeUndefined()
  })

  test('may have a parameter of any length, which only its schema limits', () => {
    const workspaceName = 'a'.repeat(5_000)

    expect(found('GET', `/workspaces/${workspaceName}`)).toEqual(['/workspaces/{workspaceName}', { workspaceName }])
  })

  test.each([
    ['DELETE', '/workspaces/acme', ['GET', 'PUT']],
    ['PUT', '/integrations/connections', ['GET']],
    ['DELETE', '/workspaces/availability', ['GET', 'POST', 'PUT']],
  ])('with another method returns the supported ones: %s %s', (method, path, allowed) => {
    expect(found(method, path)).toEqual({ allowed })
  })

  test("that can't be decoded is rejected", () => {
    expect(() => table.find('GET', '/workspaces/%E0%A4')).toThrow('input_invalid')
  })
})
