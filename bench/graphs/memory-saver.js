// For the floor that runs the graphs in its own process: its checkpointer has to be of their LangGraph.
export { MemorySaver } from '@langchain/langgraph';
