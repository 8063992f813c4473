// Updates the counts of an open page when a vote arrives.
new EventSource('/events').addEventListener('message', ({ data }) => {
  const { guildId, votes } = JSON.parse(data);
  for (const output of document.querySelectorAll(`output[data-guild="${guildId}"]`)) output.value = votes;
});
