import { args, count, integration, text } from './schema.ts'

const api = 'https://slack.com/api'
const cursor = text('next_cursor of the previous answer')
const channel = text('The id of the channel')

export const slack = integration({
  name: 'slack',
  displayName: 'Slack',
  tokenEndpoint: `${api}/oauth.v2.access`,
  // Slack answers 200 to nearly everything, and says in `ok` whether it worked.
  successMember: 'ok',
  brokenGrantErrors: [
    'invalid_grant',
    'invalid_refresh_token',
    'token_revoked',
    'token_expired',
    'invalid_auth',
    'account_inactive',
  ],
  apiHosts: ['slack.com'],
  tools: [
    {
      name: 'list_channels',
      description: 'Lists the public channels of the workspace.',
      inputSchema: args({ limit: count('How many', 200), cursor }),
      request: {
        method: 'GET',
        url: `${api}/conversations.list`,
        query: { types: 'public_channel', exclude_archived: 'true', limit: '{limit}', cursor: '{cursor}' },
      },
    },
    {
      name: 'read_channel',
      description: 'Reads messages of a channel, newest first.',
      inputSchema: args(
        { channel, oldest: text('Not before, as a Slack timestamp'), limit: count('How many', 200), cursor },
        ['channel'],
      ),
      request: {
        method: 'GET',
        url: `${api}/conversations.history`,
        query: { channel: '{channel}', oldest: '{oldest}', limit: '{limit}', cursor: '{cursor}' },
      },
    },
    {
      name: 'read_thread',
      description: 'Reads the answers to one message.',
      inputSchema: args({ channel, ts: text('The timestamp of the message'), cursor }, ['channel', 'ts']),
      request: {
        method: 'GET',
        url: `${api}/conversations.replies`,
        query: { channel: '{channel}', ts: '{ts}', cursor: '{cursor}' },
      },
    },
    {
      name: 'post_message',
      description: 'Posts a message to a channel, or to a thread in it.',
      inputSchema: args({ channel, text: text('The message'), thread_ts: text('The message it answers') }, [
        'channel',
        'text',
      ]),
      request: {
        method: 'POST',
        url: `${api}/chat.postMessage`,
        body: { channel: '{channel}', text: '{text}', thread_ts: '{thread_ts}' },
      },
    },
  ],
})
