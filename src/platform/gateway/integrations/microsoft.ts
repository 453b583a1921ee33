import { args, count, integration, text } from './schema.ts'

const api = 'https://graph.microsoft.com/v1.0/me'

export const microsoft = integration({
  name: 'microsoft',
  displayName: 'Microsoft 365',
  tokenEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  apiHosts: ['graph.microsoft.com'],
  tools: [
    {
      name: 'search_messages',
      description: 'Finds messages in the mailbox.',
      inputSchema: args({ query: text('Words to look for, in double quotes'), top: count('How many', 100) }),
      request: { method: 'GET', url: `${api}/messages`, query: { $search: '{query}', $top: '{top}' } },
    },
    {
      name: 'read_message',
      description: 'Reads one message.',
      inputSchema: args({ id: text('The id of the message') }, ['id']),
      request: { method: 'GET', url: `${api}/messages/{id}` },
    },
    {
      name: 'list_events',
      description: 'Lists the events of the calendar between two times.',
      inputSchema: args({ start: text('ISO 8601'), end: text('ISO 8601'), top: count('How many', 100) }, [
        'start',
        'end',
      ]),
      request: {
        method: 'GET',
        url: `${api}/calendarView`,
        query: { startDateTime: '{start}', endDateTime: '{end}', $top: '{top}' },
      },
    },
    {
      name: 'list_files',
      description: 'Lists the files at the top of the drive.',
      inputSchema: args({ top: count('How many', 100) }),
      request: { method: 'GET', url: `${api}/drive/root/children`, query: { $top: '{top}' } },
    },
  ],
})
