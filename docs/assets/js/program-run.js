// A worker that runs one changed program for programs.js, so that one without end can be stopped.
onmessage = async ({ data: { module, fields } }) => {
  try {
    const python = await import(module);
    const value = async ({ entry, number }) =>
      entry ? (await import(entry)).default(python.$Dict) : python.loads(number);
    postMessage(python.run(await Promise.all(fields.map(value))));
  } catch (error) {
    postMessage([`refused: ${error.message}`]);
  }
};
