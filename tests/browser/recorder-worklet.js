// Passes on every block that reaches the loudspeaker.
registerProcessor(
  "test-recorder",
  class extends AudioWorkletProcessor {
    process([[input]], _outputs) {
      this.port.postMessage(input ? input.slice() : new Float32Array(128));
      return true;
    }
  },
);
